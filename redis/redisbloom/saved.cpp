#include "redis/redisbloom/saved.hpp"

#include <string>

#include <hortus/error.hpp>

namespace hortus::redisbloom {

void refuse_saved(char const* why) { throw error(errc::corrupt, std::string("a saved filter is damaged: ") + why); }

}  // namespace hortus::redisbloom
