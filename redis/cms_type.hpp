#pragma once
#include <utility>

#include "redis/api.hpp"
#include "redis/redisbloom/count_sketch.hpp"

namespace hortus::server {

/// The value of a key of RedisBloom's type CMSk-TYPE.
struct cms_value : redisbloom::count_sketch {
  inline static api::type* type = nullptr;
  using count_sketch::count_sketch;
  explicit cms_value(count_sketch&& sketch) noexcept : count_sketch(std::move(sketch)) {}
};

/// Tells Redis of the type. False if Redis refuses it.
bool add_cms_type(api::context* to);

}  // namespace hortus::server
