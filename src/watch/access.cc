#include "watch/access.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace assay {
namespace {

bool is_address(int family, const std::string& text) {
  unsigned char bytes[sizeof(in6_addr)];
  return ::inet_pton(family, text.c_str(), bytes) == 1;
}

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::ranges::all_of(text, [](char letter) { return letter >= '0' && letter <= '9'; });
}

// "[::1]" -> "::1".
std::string_view without_brackets(std::string_view name) {
  if (name.starts_with('[') && name.ends_with(']')) return name.substr(1, name.size() - 2);
  return name;
}

// Takes as long whatever is right of it.
bool is_token(const std::string& token, std::string_view given) {
  return given.size() == token.size() &&
         CRYPTO_memcmp(given.data(), token.data(), token.size()) == 0;
}

// What a Cookie header has under this name.
std::string_view cookie_value(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const size_t end = std::min(header.find(';'), header.size());
    std::string_view one = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=')
      return one.substr(name.size() + 1);
  }
  return {};
}

bool has_token(const std::string& token, const Asked& asked) {
  constexpr std::string_view kBearer = "Bearer ";
  std::string_view authorization = asked.authorization;
  if (authorization.starts_with(kBearer) && is_token(token, authorization.substr(kBearer.size())))
    return true;
  return is_token(token, asked.token) || is_token(token, cookie_value(asked.cookie, kCookie));
}

template <class Number>
bool read_number(std::string_view text, int base, Number& number) {
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return failed == std::errc() && end == text.data() + text.size();
}

}  // namespace

bool is_loopback(std::string_view host) {
  const std::string plain(without_brackets(host));
  return plain == "localhost" || plain == "::1" ||
         (plain.starts_with("127.") && is_address(AF_INET, plain));
}

bool is_every_address(std::string_view host) {
  return host == "0.0.0.0" || without_brackets(host) == "::";
}

std::optional<std::string> host_name(std::string_view header) {
  constexpr size_t kMost = 255;
  if (header.empty() || header.size() > kMost) return std::nullopt;
  size_t end = 0;
  if (header.starts_with('[')) {
    end = header.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    ++end;
    if (!is_address(AF_INET6, std::string(header.substr(1, end - 2)))) return std::nullopt;
  } else {
    end = std::min(header.find(':'), header.size());
    const bool is_name = end > 0 && std::ranges::all_of(header.substr(0, end), [](char letter) {
                           return (letter >= 'a' && letter <= 'z') ||
                                  (letter >= 'A' && letter <= 'Z') ||
                                  (letter >= '0' && letter <= '9') || letter == '.' ||
                                  letter == '-' || letter == '_';
                         });
    if (!is_name) return std::nullopt;
  }
  if (end < header.size() && (header[end] != ':' || !is_port(header.substr(end + 1))))
    return std::nullopt;
  return lower_case(header.substr(0, end));
}

bool PageAccess::is_own_name(std::string_view name) const {
  const std::string plain(without_brackets(name));
  if (is_loopback(plain)) return is_loopback(host) || is_every_address(host);
  if (plain == lower_case(without_brackets(host))) return true;
  if (is_loopback(host)) return false;
  if (plain == lower_case(machine_name) && !plain.empty()) return true;
  return is_every_address(host) && (is_address(AF_INET, plain) || is_address(AF_INET6, plain));
}

std::optional<Refusal> refusal(const PageAccess& access, const Asked& asked) {
  if (asked.method != "GET" && asked.method != "HEAD")
    return Refusal{405, "this is for looking alone: GET and HEAD"};
  const auto name = asked.hosts == 1 ? host_name(asked.host) : std::nullopt;
  if (!name) return Refusal{400, "the request does not say which host it is for"};
  if (!access.is_own_name(*name))
    return Refusal{403, "the request is for another host than this one"};
  if (!asked.origin.empty() && lower_case(asked.origin) != "http://" + lower_case(asked.host))
    return Refusal{403, "the request comes from a page of another origin"};
  if (!access.token.empty() && !has_token(access.token, asked))
    return Refusal{401, "the address that assay printed has a token, and this request has not"};
  return std::nullopt;
}

std::string to_text(const Seen& seen) {
  return fmt::format("{:016x}-{}", seen.server, seen.version);
}

std::optional<Seen> parse_seen(std::string_view text) {
  constexpr size_t kDigits = 16;
  if (text.size() < kDigits + 2 || text.size() > kDigits + 21 || text[kDigits] != '-')
    return std::nullopt;
  Seen seen;
  if (!read_number(text.substr(0, kDigits), 16, seen.server) ||
      !read_number(text.substr(kDigits + 1), 10, seen.version))
    return std::nullopt;
  return seen;
}

}  // namespace assay
