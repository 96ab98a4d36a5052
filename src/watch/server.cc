#include "watch/server.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "report/html.h"
#include "watch/connections.h"

namespace assay {
namespace {

constexpr auto kHeartbeat = std::chrono::seconds(10);
constexpr time_t kReadSeconds = 5;
constexpr time_t kWriteSeconds = 10;
constexpr size_t kMostBody = 1024;  // of requests that need none

// Without set_content(): that compresses for a browser as well as can be, which takes seconds.
void send(httplib::Response& response, const char* type, std::shared_ptr<const std::string> text) {
  const size_t size = text->size();
  response.set_content_provider(
      size, type, [text = std::move(text)](size_t from, size_t count, httplib::DataSink& sink) {
        return sink.write(text->data() + from, count);
      });
}

void answer(httplib::Response& response, int status, const std::string& text) {
  response.status = status;
  send(response, "text/plain; charset=utf-8", std::make_shared<const std::string>(text + "\n"));
}

Asked asked_by(const httplib::Request& request) {
  return {.method = request.method,
          .host = request.get_header_value("Host"),
          .origin = request.get_header_value("Origin"),
          .cookie = request.get_header_value("Cookie"),
          .authorization = request.get_header_value("Authorization"),
          .token = request.get_param_value("token"),
          .hosts = request.get_header_value_count("Host")};
}

}  // namespace

WatchServer::WatchServer(const PageAccess& access, LiveRun& run) : access_(access), run_(run) {
  server_.new_task_queue = [] { return new Connections; };
  server_.set_read_timeout(kReadSeconds);
  server_.set_write_timeout(kWriteSeconds);
  server_.set_keep_alive_timeout(kReadSeconds);
  server_.set_payload_max_length(kMostBody);
  server_.set_tcp_nodelay(true);
  // Without what it does by itself: another process could listen on the same port.
  server_.set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server_.set_default_headers({{"Cache-Control", "no-store"},
                               {"X-Content-Type-Options", "nosniff"},
                               {"X-Frame-Options", "DENY"},
                               {"Referrer-Policy", "no-referrer"},
                               {"Cross-Origin-Resource-Policy", "same-origin"}});
  server_.set_pre_routing_handler(
      [this](const httplib::Request& request, httplib::Response& response) {
        return refuses(request, response) ? httplib::Server::HandlerResponse::Handled
                                          : httplib::Server::HandlerResponse::Unhandled;
      });
  server_.Get("/", [this](const httplib::Request& request, httplib::Response& response) {
    show_page(request, response);
  });
  server_.Get("/events", [this](const httplib::Request& request, httplib::Response& response) {
    tell_events(request, response);
  });
  server_.Get("/attempt", [this](const httplib::Request& request, httplib::Response& response) {
    tell_details(request, response);
  });
  // Browsers ask for one by themselves.
  server_.Get("/favicon.ico",
              [](const httplib::Request&, httplib::Response& response) { response.status = 204; });
}

Result<int> WatchServer::bind(int port) {
  ASSAY_ASSIGN(PageFrame frame, page_frame(true));
  page_ = std::make_shared<const std::string>(
      frame.before + "<script type=\"text/plain\" id=\"assay-live\"></script>\n" + frame.after);
  errno = 0;
  const int bound = port == 0 ? server_.bind_to_any_port(access_.host)
                              : (server_.bind_to_port(access_.host, port) ? port : -1);
  if (bound > 0) return bound;
  if (errno == EADDRINUSE || errno == EACCES || errno == EADDRNOTAVAIL)
    return errno_error(fmt::format("listen on port {} of {}", port, access_.host),
                       "name another one with --port, or 0 for any that is free");
  return error(Code::invalid_input,
               fmt::format("cannot listen on port {} of '{}'", port, access_.host),
               "--port 0 takes any that is free; --host takes an address of this machine");
}

// True: it is answered.
bool WatchServer::refuses(const httplib::Request& request, httplib::Response& response) const {
  if (Connections::is_one_too_many()) {
    response.set_header("Retry-After", "10");
    response.set_header("Connection", "close");
    answer(response, 503, fmt::format("{} readers look at this run already", Connections::kMost));
    return true;
  }
  const auto refused = refusal(access_, asked_by(request));
  if (!refused) return false;
  if (refused->status == 405) response.set_header("Allow", "GET, HEAD");
  answer(response, refused->status, refused->why);
  return true;
}

void WatchServer::show_page(const httplib::Request& request, httplib::Response& response) const {
  if (!access_.token.empty() && request.has_param("token")) {
    // Out of the address, so that it is in no history and no picture of the screen.
    response.set_header("Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict",
                                                  kCookie, access_.token));
    response.set_redirect("/", 303);
    return;
  }
  send(response, "text/html; charset=utf-8", page_);
}

void WatchServer::tell_events(const httplib::Request& request, httplib::Response& response) {
  auto seen = std::make_shared<Seen>(
      parse_seen(request.get_header_value("Last-Event-ID")).value_or(Seen{}));
  ++readers_;
  response.set_chunked_content_provider(
      "text/event-stream",
      [this, seen](size_t, httplib::DataSink& sink) {
        if (run_.has_ended()) {
          sink.done();
          return true;
        }
        std::string text = run_.next(*seen, kHeartbeat);
        // So that who has gone is noticed, and who reads knows that all is well.
        if (text.empty() && !run_.has_ended()) text = ": nothing new\n\n";
        return text.empty() || sink.write(text.data(), text.size());
      },
      [this](bool) { --readers_; });
}

void WatchServer::wait_for_readers(std::chrono::milliseconds most) const {
  const auto end = std::chrono::steady_clock::now() + most;
  while (readers_ > 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void WatchServer::tell_details(const httplib::Request& request, httplib::Response& response) const {
  auto details = run_.details(request.get_param_value("id"));
  if (!details)
    answer(response, 500, details.error().describe());
  else if (!*details)
    answer(response, 404, "this run has no attempt of that id");
  else
    send(response, "application/json", std::make_shared<const std::string>(**std::move(details)));
}

}  // namespace assay
