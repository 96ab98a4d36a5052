#include "provider/http.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "base/places.h"
#include "base/text.h"
#include "base/units.h"

namespace assay {
namespace {

constexpr size_t kMostBytes = 32 << 20;
constexpr int kLookAgainMs = 50;  // whether to stop

// The functions of the library that is on this machine.
struct CurlApi {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_setopt) set = nullptr;
  decltype(&curl_easy_getinfo) get = nullptr;
  decltype(&curl_easy_strerror) text_of = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_multi_init) multi_init = nullptr;
  decltype(&curl_multi_add_handle) add = nullptr;
  decltype(&curl_multi_remove_handle) remove = nullptr;
  decltype(&curl_multi_perform) perform = nullptr;
  decltype(&curl_multi_poll) poll = nullptr;
  decltype(&curl_multi_info_read) message = nullptr;
  decltype(&curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&curl_slist_append) append = nullptr;
  decltype(&curl_slist_free_all) free_list = nullptr;
};

template <class Function>
bool find_function(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Result<CurlApi> load_curl() {
  void* library = nullptr;
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"})
    if (!library) library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  const std::string mend = "apt-get install libcurl4";
  if (!library)
    return error(Code::unavailable, "libcurl is missing, by which models are asked", mend);
  CurlApi api;
  const bool whole = find_function(library, "curl_global_init", api.global_init) &&
                     find_function(library, "curl_easy_init", api.easy_init) &&
                     find_function(library, "curl_easy_setopt", api.set) &&
                     find_function(library, "curl_easy_getinfo", api.get) &&
                     find_function(library, "curl_easy_strerror", api.text_of) &&
                     find_function(library, "curl_easy_cleanup", api.easy_cleanup) &&
                     find_function(library, "curl_multi_init", api.multi_init) &&
                     find_function(library, "curl_multi_add_handle", api.add) &&
                     find_function(library, "curl_multi_remove_handle", api.remove) &&
                     find_function(library, "curl_multi_perform", api.perform) &&
                     find_function(library, "curl_multi_poll", api.poll) &&
                     find_function(library, "curl_multi_info_read", api.message) &&
                     find_function(library, "curl_multi_cleanup", api.multi_cleanup) &&
                     find_function(library, "curl_slist_append", api.append) &&
                     find_function(library, "curl_slist_free_all", api.free_list);
  if (!whole || api.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    return error(Code::unavailable, "the libcurl of this machine cannot be used: it is too old",
                 mend);
  return api;
}

const Result<CurlApi>& curl() {
  static const Result<CurlApi> api = load_curl();
  return api;
}

// Another try would end the same way.
constexpr std::array kPermanent{
    CURLE_UNSUPPORTED_PROTOCOL,  CURLE_URL_MALFORMAT,   CURLE_PEER_FAILED_VERIFICATION,
    CURLE_SSL_CACERT_BADFILE,    CURLE_SSL_CERTPROBLEM, CURLE_OUT_OF_MEMORY,
    CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION,  CURLE_NOT_BUILT_IN};

// What libcurl hands over piece by piece.
struct Receiver {
  HttpAnswer& answer;
  bool too_large = false;
};

size_t take_body(char* bytes, size_t, size_t count, void* into) {
  auto& receiver = *static_cast<Receiver*>(into);
  receiver.too_large = receiver.answer.body.size() + count > kMostBytes;
  if (receiver.too_large) return 0;
  receiver.answer.body.append(bytes, count);
  return count;
}

size_t take_header(char* bytes, size_t, size_t count, void* into) {
  auto& headers = static_cast<Receiver*>(into)->answer.headers;
  const std::string_view line(bytes, count);
  if (line.starts_with("HTTP/")) headers.clear();  // what came before was only on the way
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return count;
  headers[lower_case(line.substr(0, colon))] = trimmed(line.substr(colon + 1));
  return count;
}

// One request from its beginning to its end.
class Exchange {
 public:
  Exchange(const CurlApi& api, const HttpRequest& request)
      : api_(api), request_(request), easy_(api.easy_init()), multi_(api.multi_init()) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() {
    if (easy_ && multi_) api_.remove(multi_, easy_);
    if (easy_) api_.easy_cleanup(easy_);
    if (multi_) api_.multi_cleanup(multi_);
    api_.free_list(headers_);
  }

  HttpAnswer make(const std::atomic<bool>& stop) {
    HttpAnswer answer;
    Receiver receiver{answer};
    if (!easy_ || !multi_ || !set_up(receiver)) {
      answer.why = "libcurl took no request";
      return answer;
    }
    const CURLcode code = perform(stop, answer.stopped);
    long status = 0;
    api_.get(easy_, CURLINFO_RESPONSE_CODE, &status);
    note_what_was_sent(answer);
    if (code == CURLE_OK && !answer.stopped) {
      answer.status = static_cast<int>(status);
      return answer;
    }
    answer.temporary =
        !receiver.too_large && std::ranges::find(kPermanent, code) == kPermanent.end();
    answer.why = answer.stopped       ? "interrupted"
                 : receiver.too_large ? "the answer is larger than " + format_bytes(kMostBytes)
                 : error_[0]          ? std::string(error_.data())
                                      : std::string(api_.text_of(code));
    return answer;
  }

 private:
  template <class Value>
  bool set(CURLoption option, Value value) {
    return api_.set(easy_, option, value) == CURLE_OK;
  }
  // What an older library does not know is no reason to fail.
  template <class Value>
  void try_to_set(CURLoption option, Value value) {
    (void)api_.set(easy_, option, value);
  }

  bool add_header(const std::string& line) {
    curl_slist* longer = api_.append(headers_, line.c_str());
    if (longer) headers_ = longer;
    return longer != nullptr;
  }

  bool set_up(Receiver& receiver) {
    for (const std::string& line : request_.headers)
      if (!add_header(line)) return false;
    // Without it a large body waits for a second, to be asked for.
    if (!add_header("Expect:")) return false;
    if (request_.body) {
      if (!set(CURLOPT_POST, 1L) ||
          !set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body->size())) ||
          !set(CURLOPT_POSTFIELDS, request_.body->data()))
        return false;
    }
    // As the command line tool has them, for networks with an authority of their own.
    for (const char* variable : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"})
      if (const std::string file = environment_variable(variable); !file.empty()) {
        if (!set(CURLOPT_CAINFO, file.c_str())) return false;
        break;
      }
    try_to_set(CURLOPT_PROTOCOLS_STR, "http,https");
    // While a model thinks for minutes, nothing else passes that would keep the connection.
    try_to_set(CURLOPT_TCP_KEEPALIVE, 1L);
    return set(CURLOPT_URL, request_.url.c_str()) && set(CURLOPT_HTTPHEADER, headers_) &&
           set(CURLOPT_NOSIGNAL, 1L) && set(CURLOPT_FOLLOWLOCATION, 0L) &&
           set(CURLOPT_CONNECTTIMEOUT_MS,
               static_cast<long>(request_.times.connect_ns / 1'000'000)) &&
           set(CURLOPT_TIMEOUT_MS, static_cast<long>(request_.times.total_ns / 1'000'000)) &&
           set(CURLOPT_ERRORBUFFER, error_.data()) && set(CURLOPT_WRITEFUNCTION, take_body) &&
           set(CURLOPT_WRITEDATA, static_cast<void*>(&receiver)) &&
           set(CURLOPT_HEADERFUNCTION, take_header) &&
           set(CURLOPT_HEADERDATA, static_cast<void*>(&receiver));
  }

  CURLcode perform(const std::atomic<bool>& stop, bool& stopped) {
    if (api_.add(multi_, easy_) != CURLM_OK) return CURLE_FAILED_INIT;
    for (int running = 1; running > 0;) {
      if (stop.load()) {
        stopped = true;
        // Nobody waits for a name that is still being looked up.
        try_to_set(CURLOPT_QUICK_EXIT, 1L);
        return CURLE_ABORTED_BY_CALLBACK;
      }
      if (api_.perform(multi_, &running) != CURLM_OK) return CURLE_RECV_ERROR;
      if (running > 0 && api_.poll(multi_, nullptr, 0, kLookAgainMs, nullptr) != CURLM_OK)
        return CURLE_RECV_ERROR;
    }
    int left = 0;
    while (const CURLMsg* message = api_.message(multi_, &left))
      if (message->msg == CURLMSG_DONE) return message->data.result;
    return CURLE_RECV_ERROR;
  }

  void note_what_was_sent(HttpAnswer& answer) {
    long head = 0;
    curl_off_t body = 0;
    api_.get(easy_, CURLINFO_REQUEST_SIZE, &head);
    api_.get(easy_, CURLINFO_SIZE_UPLOAD_T, &body);
    const size_t size = request_.body ? request_.body->size() : 0;
    answer.sent = head > 0 && static_cast<size_t>(body) >= size;
  }

  const CurlApi& api_;
  const HttpRequest& request_;
  CURL* easy_;
  CURLM* multi_;
  curl_slist* headers_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> error_{};
};

}  // namespace

Status http_is_ready() {
  if (!curl()) return std::unexpected(curl().error());
  return {};
}

HttpAnswer http_call(const HttpRequest& request, const std::atomic<bool>& stop) {
  if (!curl()) return {.why = curl().error().message};
  return Exchange(*curl(), request).make(stop);
}

}  // namespace assay
