// A second unit with every header: a function that lacks its "inline" would be defined twice, and linking would say so.
#include <hortus/hortus.hpp>

std::size_t size_elsewhere(hortus::bloom_filter const& filter);
std::size_t size_elsewhere(hortus::bloom_filter const& filter) { return filter.size_bytes(); }
