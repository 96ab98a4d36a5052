// Who may look at a run over HTTP. On loopback, pages of other sites that a browser shows may not:
// their requests name another host, or another origin. Elsewhere a token is asked for, too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

// "127.0.0.1", "127.8.8.8", "::1", "localhost".
bool is_loopback(std::string_view host);
// "0.0.0.0", "::": all that the machine has.
bool is_every_address(std::string_view host);

// The name in a Host header, in lower case and without its port: "localhost", "[::1]". Nothing
// where it is none.
std::optional<std::string> host_name(std::string_view header);

struct PageAccess {
  std::string host;          // that is listened on
  std::string machine_name;  // as others call it
  std::string token;         // "": none is asked for

  // What may stand in a Host header. An address that is written as numbers can't be led here by
  // somebody else's name service.
  bool is_own_name(std::string_view name) const;
};

// What of a request says who asks. A header that is there twice is two lines.
struct Asked {
  std::string method{}, host{}, origin{}, cookie{}, authorization{};
  std::string token{};  // in the address
  size_t hosts = 1;     // headers of that name
};

struct Refusal {
  int status = 403;
  std::string why;
};
// Nothing: it is answered.
std::optional<Refusal> refusal(const PageAccess& access, const Asked& asked);

inline constexpr std::string_view kCookie = "assay_token";

// Which of a server's states a reader has seen: "00f3a1b2c3d4e5f6-17", the id of an event.
struct Seen {
  uint64_t server = 0;  // drawn at its start
  uint64_t version = 0;

  bool operator==(const Seen&) const = default;
};
std::string to_text(const Seen& seen);
std::optional<Seen> parse_seen(std::string_view text);

}  // namespace assay
