#pragma once
/// Everything, for users. To read the code, start with concepts.hpp and bloom/bloom.hpp.
#include <hortus/any/any_filter.hpp>
#include <hortus/any/any_message.hpp>
#include <hortus/any/any_near.hpp>
#include <hortus/any/families.hpp>
#include <hortus/sets/bloom_offer.hpp>
#include <hortus/sets/reconciliation_tree.hpp>
#include <hortus/sets/session.hpp>
#include <hortus/version.hpp>
