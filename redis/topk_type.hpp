#pragma once
#include <utility>

#include "redis/api.hpp"
#include "redis/redisbloom/heavy_keeper.hpp"

namespace hortus::server {

/// The value of a key of RedisBloom's type TopK-TYPE.
struct topk_value : redisbloom::heavy_keeper {
  inline static api::type* type = nullptr;
  using heavy_keeper::heavy_keeper;
  explicit topk_value(heavy_keeper&& keeper) noexcept : heavy_keeper(std::move(keeper)) {}
};

/// Tells Redis of the type. False if Redis refuses it.
bool add_topk_type(api::context* to);

}  // namespace hortus::server
