#include "src/redis/key_lock.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <random>

namespace hortus::redis {
namespace {

constexpr char const* expires_after = "60000";
constexpr auto renew_after = std::chrono::seconds(10);

}  // namespace

std::string const& process_token() {
  static std::string const token = [] {
    std::random_device source;
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%08x%08x", source(), source());
    return std::string(text.data());
  }();
  return token;
}

std::string beside(std::string const& key, std::string_view what) {
  auto const open = key.find('{');
  auto const close = open == std::string::npos ? open : key.find('}', open + 1);
  bool const has_tag = close != std::string::npos && close > open + 1;
  if (!has_tag && (key.empty() || key.find('}') != std::string::npos))
    throw error(errc::bad_params, "the key '" + key + "' is empty, or has a } without a {tag}: use another name");
  return (has_tag ? key : "{" + key + "}") + "." + std::string(what);
}

key_lock::key_lock(servers& at, std::string const& key) : at_(at), lock_(beside(key, "lock")) {
  for (servers::waiting patient(at.how());;) {
    auto const got = accepted(at.call({"SET", lock_, process_token(), "NX", "PX", expires_after}, lock_), at.place_of(lock_));
    if (got.what == reply::kind::text) return;
    // After a lost connection it may be ours already.
    if (auto const whose = at.call({"GET", lock_}, lock_); whose.text == process_token()) return;
    patient.wait("another client makes, replaces or cuts '" + key + "' (it holds the key '" + lock_ + "')");
  }
}

key_lock::~key_lock() {
  try {
    if (at_.call({"GET", lock_}, lock_).text == process_token()) (void)at_.call({"DEL", lock_}, lock_);
  } catch (...) {
    return;  // it expires
  }
}

byte_progress key_lock::renewing(byte_progress const& progress) {
  return [this, &progress](std::uint64_t bytes) {
    if (progress) progress(bytes);
    if (clock::now() - renewed_ < renew_after) return;
    renewed_ = clock::now();
    (void)at_.call({"PEXPIRE", lock_, expires_after}, lock_);
  };
}

}  // namespace hortus::redis
