#pragma once

/// A facet is one ability that a family chosen at run time may have: an interface with a few virtual functions. A family has
/// the facets whose concepts it satisfies. any_family looks a facet up and gets null if the family lacks it. So a new kind of
/// question adds its facet in a file of its own, and no other facet changes.
///
/// `fits<F>` says which families have the facet, and `over<F>` implements it for F. `over<F>` refers to a family that is
/// stored beside it and lives as long.
namespace hortus::facets {

/// Its address identifies the facet. (No dynamic_cast, because hortus also works in programs without run-time type
/// information.)
template <class Facet>
inline constexpr char identity = 0;

}  // namespace hortus::facets
