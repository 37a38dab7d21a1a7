#include <hortus/redis/servers.hpp>

#include <algorithm>
#include <charconv>
#include <thread>
#include <utility>

namespace hortus::redis {
namespace {

/// CRC-16 of XMODEM, by which clusters spread keys.
constexpr auto crc_table = [] {
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000U) != 0 ? crc << 1 ^ 0x1021U : crc << 1;
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}();

/// The words of "MOVED 3999 127.0.0.1:6381".
struct redirection {
  unsigned slot = 0;
  std::string place;
};
std::optional<redirection> redirection_in(std::string_view text) {
  auto const first = text.find(' ');
  auto const second = text.find(' ', first == std::string_view::npos ? first : first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  redirection made;
  auto const digits = text.substr(first + 1, second - first - 1);
  auto const [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), made.slot);
  if (failure != std::errc() || made.slot >= cluster_slots) return std::nullopt;
  made.place = std::string(text.substr(second + 1));
  return made;
}

/// Is it only for a moment that the server does not do it: a failover, a restart, slots that are moved?
bool is_passing(reply const& answer) {
  constexpr std::array<std::string_view, 6> starts{"TRYAGAIN", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "READONLY", "BUSY "};
  return std::ranges::any_of(starts, [&](std::string_view start) { return answer.is_error(start); });
}

}  // namespace

unsigned slot_of(std::string_view key) noexcept {
  if (auto const open = key.find('{'); open != std::string_view::npos)
    if (auto const close = key.find('}', open + 1); close != std::string_view::npos && close > open + 1)
      key = key.substr(open + 1, close - open - 1);
  unsigned crc = 0;
  for (auto const c : key) crc = (crc << 8 ^ crc_table[(crc >> 8 ^ static_cast<unsigned char>(c)) & 0xff]) & 0xffff;
  return crc % cluster_slots;
}

/// A connection, and the requests whose answers are still to come, in order.
struct request::line {
  line(address const& place, std::chrono::milliseconds timeout) : to(place, timeout) {}
  connection to;
  std::deque<request*> waiting = {};  // null: nobody wants the answer
};

void servers::waiting::count() {
  constexpr unsigned usual = 8;  // so often a slot may move between two tries
  if (++redirections_ > usual) wait("servers name each other for a key");
}

void servers::waiting::wait(std::string const& why) {
  auto const passed = std::chrono::steady_clock::now() - since_;
  if (passed >= how_.give_up)
    throw error(errc::io, why + "; gave up after " +
                              std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(passed).count()) + " ms");
  if (!told_ && passed > std::chrono::seconds(1)) {
    told_ = true;
    if (how_.waiting) how_.waiting(why);
  }
  std::this_thread::sleep_for(next_);
  next_ = std::min(next_ * 2, std::chrono::milliseconds(500));
}

request::~request() {
  if (on_ == nullptr) return;
  for (auto*& each : on_->waiting)
    if (each == this) each = nullptr;
}

servers::servers(address first, patience how) : first_(std::move(first)), how_(std::move(how)), places_{first_.place()} {
  auto const about = line_to(first_.place()).to.call({"INFO", "cluster"});
  if (about.is_error() && !is_passing(about))
    throw error(errc::io, "the server at " + first_.place() + " refuses INFO: " + about.text);
  cluster_ = !about.is_error() && about.as_text().find("cluster_enabled:1") != std::string::npos;
  known_ = places_;
  if (!cluster_) return;
  if (first_.database != 0) throw error(errc::bad_params, "a cluster has only database 0");
  slots_.resize(cluster_slots);
  for (waiting patient(how_); !refresh_from(first_.place());)
    patient.wait("the cluster of " + first_.place() + " has no slots");
}

servers::~servers() {
  while (!lines_.empty()) lose(lines_.begin()->first);
}

std::vector<std::string> servers::places() const { return places_; }

std::string const& servers::place_of(unsigned slot) const { return cluster_ ? places_[slots_[slot]] : places_.front(); }

address servers::address_of(std::string const& place) const {
  if (place == first_.place()) return first_;
  auto const colon = place.rfind(':');
  std::uint16_t port = 0;
  if (colon != std::string::npos) (void)std::from_chars(place.data() + colon + 1, place.data() + place.size(), port);
  auto host = place.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) host = first_.host;  // a server that does not know its own name
  return first_.at(std::move(host), port);
}

servers::line& servers::line_to(std::string const& place) {
  auto const found = lines_.find(place);
  if (found != lines_.end()) return *found->second;
  return *lines_.emplace(place, std::make_unique<line>(address_of(place), how_.answer)).first->second;
}

void servers::lose(std::string const& place) noexcept {
  auto const found = lines_.find(place);
  if (found == lines_.end()) return;
  for (auto* const each : found->second->waiting) {
    if (each == nullptr) continue;
    each->on_ = nullptr;
    each->was_lost_ = true;
  }
  lines_.erase(found);
}

/// Slots `first` to `last` are at this place.
void servers::learn(std::string const& place, std::uint64_t first, std::uint64_t last) {
  auto const known = std::ranges::find(places_, place);
  auto const number = static_cast<std::uint16_t>(known - places_.begin());
  if (known == places_.end()) places_.push_back(place);
  for (auto slot = first; slot <= last && slot < cluster_slots; ++slot) slots_[slot] = number;
}

/// Asks a server which server has which slots; on a connection of its own, because answers come in order.
bool servers::refresh_from(std::string const& place) {
  auto const asked = address_of(place);
  connection apart(asked, std::min<std::chrono::milliseconds>(how_.answer, std::chrono::seconds(2)));
  auto const answer = apart.call({"CLUSTER", "SLOTS"});
  if (answer.is_error() || answer.as_array().empty()) return false;
  auto const place_in = [&](reply const& server) {
    auto const& host = server.as_array(2)[0];
    auto const port = static_cast<std::uint16_t>(server.parts[1].as_integer());
    bool const unnamed = host.what != reply::kind::text || host.text.empty() || host.text == "?";
    return first_.at(unnamed ? asked.host : host.text, port).place();
  };
  std::vector<std::string> all;
  places_.clear();
  for (auto const& range : answer.parts) {
    auto const& fields = range.as_array(3);
    learn(place_in(fields[2]), static_cast<std::uint64_t>(fields[0].as_integer()),
          static_cast<std::uint64_t>(fields[1].as_integer()));
    for (std::size_t i = 2; i < fields.size(); ++i) all.push_back(place_in(fields[i]));
  }
  known_ = std::move(all);
  return true;
}

/// Of any server that answers.
void servers::refresh() {
  if (!cluster_) return;
  auto const all = known_;
  for (auto const& place : all) try {
      if (refresh_from(place)) return;
    } catch (lost_connection const&) {
      continue;
    }
}

void servers::send(request& it, std::string const& place, bool asking) {
  auto& to = line_to(place);
  try {
    if (asking) {
      to.to.send({"ASKING"});
      to.waiting.push_back(nullptr);
    }
    std::vector<std::string_view> const words(it.words_.begin(), it.words_.end());
    to.to.send(words);
  } catch (...) {  // half a command is not done
    lose(place);
    throw;
  }
  to.waiting.push_back(&it);
  it.on_ = &to;
}

void servers::receive_for(request& it) {
  while (!it.answer_) {
    auto& from = *it.on_;
    try {
      auto answer = from.to.receive();
      auto* const first = from.waiting.front();
      from.waiting.pop_front();
      if (first == nullptr) continue;
      first->answer_ = std::move(answer);
      first->on_ = nullptr;
    } catch (...) {
      lose(std::string(from.to.place()));
      throw;
    }
  }
}

void servers::start(request& it) try { send(it, place_of(it.slot_), false); } catch (lost_connection const&) {
  return;  // finish() tries again
}

reply servers::finish(request& it) {
  waiting patient(how_);
  std::string asked;  // the place that ASK named, for once
  for (;;) {
    try {
      if (it.on_ == nullptr && !it.answer_) {
        if (std::exchange(it.was_lost_, false) && it.policy_ == request::after_loss::give_up)
          throw unknown_outcome("the connection to " + place_of(it.slot_) +
                                " was lost before the answer to a change came: it is not known whether it was made");
        auto const place = asked.empty() ? place_of(it.slot_) : asked;
        send(it, place, !std::exchange(asked, {}).empty());
      }
      receive_for(it);
    } catch (lost_connection const& e) {
      patient.wait(e.what());
      refresh();
      continue;
    }
    auto answer = std::move(*it.answer_);
    it.answer_.reset();
    if (answer.is_error("MOVED ") || answer.is_error("ASK ")) {
      auto const to = redirection_in(answer.text);
      if (!to || !cluster_) return answer;
      auto const place = address_of(to->place).place();
      if (answer.is_error("ASK "))
        asked = place;
      else
        learn(place, to->slot, to->slot);
      patient.count();
    } else if (is_passing(answer)) {
      patient.wait("the server at " + place_of(it.slot_) + " answers: " + answer.text);
      refresh();
    } else {
      return answer;
    }
  }
}

reply servers::call(std::vector<std::string> words, std::string_view key, request::after_loss policy) {
  request it(std::move(words), key, policy);
  start(it);
  return finish(it);
}

}  // namespace hortus::redis
