// A second unit with every header: a function that lacks "inline" would be defined twice, and linking would fail.
#include <hortus/hortus.hpp>

std::size_t size_elsewhere(hortus::bloom_filter const& filter);
std::size_t size_elsewhere(hortus::bloom_filter const& filter) { return filter.size_bytes(); }
