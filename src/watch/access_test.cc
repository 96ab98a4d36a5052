#include "watch/access.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

const PageAccess kHere{.host = "127.0.0.1", .machine_name = "box", .token = ""};
const PageAccess kEverywhere{.host = "0.0.0.0", .machine_name = "Box", .token = "0123456789abcdef"};

int status(const PageAccess& access, const Asked& asked) {
  const auto refused = refusal(access, asked);
  return refused ? refused->status : 200;
}

TEST(PageAccess, TheNameInAHostHeader) {
  const std::pair<const char*, const char*> good[] = {{"LOCALHOST:8000", "localhost"},
                                                      {"127.0.0.1", "127.0.0.1"},
                                                      {"[::1]:80", "[::1]"},
                                                      {"[::1]", "[::1]"},
                                                      {"a.b-c_d:1", "a.b-c_d"}};
  for (const auto& [header, name] : good) EXPECT_EQ(host_name(header), name) << header;
  for (const char* bad : {"", ":80", "a:", "a:b", "a:123456", "a b", "a/b", "[::1", "[x]", "[::1]x",
                          "a:80:80", "a@b", "\xff", "::1"})
    EXPECT_EQ(host_name(bad), std::nullopt) << bad;
  EXPECT_EQ(host_name(std::string(300, 'a')), std::nullopt);
}

TEST(PageAccess, OnLoopbackOnlyItsOwnNames) {
  for (const char* host : {"127.0.0.1:8000", "localhost:9", "localhost", "[::1]:8000"})
    EXPECT_EQ(status(kHere, {.method = "GET", .host = host}), 200) << host;
  // An attacker's name may lead here, and no address of numbers can.
  for (const char* host :
       {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "box", "192.0.2.1"})
    EXPECT_EQ(status(kHere, {.method = "GET", .host = host}), 403) << host;
  EXPECT_EQ(status(kHere, {.method = "GET", .host = "localhost", .hosts = 2}), 400);
  EXPECT_EQ(status(kHere, {.method = "GET"}), 400);
}

TEST(PageAccess, OnlyPagesOfItsOwnMayAsk) {
  const Asked own{.method = "GET", .host = "Localhost:80", .origin = "http://localhost:80"};
  EXPECT_EQ(status(kHere, own), 200);
  for (const char* origin : {"null", "http://localhost", "https://localhost:80",
                             "http://localhost:80.evil.example", "http://evil.example", "file://"})
    EXPECT_EQ(status(kHere, {.method = "GET", .host = "localhost:80", .origin = origin}), 403)
        << origin;
}

TEST(PageAccess, NothingCanBeChanged) {
  for (const char* method :
       {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PRI", "get", ""})
    EXPECT_EQ(status(kHere, {.method = method, .host = "localhost"}), 405) << method;
  EXPECT_EQ(status(kHere, {.method = "HEAD", .host = "localhost"}), 200);
}

TEST(PageAccess, ElsewhereATokenIsAskedFor) {
  Asked asked{.method = "GET", .host = "192.0.2.7:8000"};
  EXPECT_EQ(status(kEverywhere, asked), 401);
  asked.token = kEverywhere.token;
  EXPECT_EQ(status(kEverywhere, asked), 200);
  asked.host = "BOX";
  EXPECT_EQ(status(kEverywhere, asked), 200) << "as the machine is called";
  asked.host = "evil.example";
  EXPECT_EQ(status(kEverywhere, asked), 403) << "a name may be led here, with the cookie";
  asked = {.method = "GET", .host = "box"};
  for (const char* cookie : {"assay_token=0123456789abcdef", "a=b; assay_token=0123456789abcdef; c",
                             "a=b;assay_token=0123456789abcdef"}) {
    asked.cookie = cookie;
    EXPECT_EQ(status(kEverywhere, asked), 200) << cookie;
  }
  for (const char* cookie :
       {"assay_token=", "assay_token=0123456789abcde", "assay_token",
        "xassay_token=0123456789abcdef", "assay_token=0123456789abcdefx", ";;"}) {
    asked.cookie = cookie;
    EXPECT_EQ(status(kEverywhere, asked), 401) << cookie;
  }
  asked.cookie = "";
  asked.authorization = "Bearer 0123456789abcdef";
  EXPECT_EQ(status(kEverywhere, asked), 200);
}

TEST(PageAccess, WhatWasSeenIsReadAsItWasWritten) {
  const Seen seen{0x0123456789abcdef, 17};
  EXPECT_EQ(to_text(seen), "0123456789abcdef-17");
  EXPECT_EQ(parse_seen(to_text(seen)), seen);
  for (const char* bad : {"", "-", "0123456789abcdef", "0123456789abcdef-", "0123456789abcdef-x",
                          "0123456789abcdeg-1", "0123456789abcdef-99999999999999999999",
                          "0123456789abcdef-1 ", "+123456789abcdef-1"})
    EXPECT_EQ(parse_seen(bad), std::nullopt) << bad;
}

TEST(PageAccess, WhatIsLoopback) {
  for (const char* host : {"127.0.0.1", "127.255.0.9", "::1", "[::1]", "localhost"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const char* host : {"127.evil.example", "0.0.0.0", "::", "192.168.0.1", "", "127.0.0.1.2"})
    EXPECT_FALSE(is_loopback(host)) << host;
}

}  // namespace
}  // namespace assay
