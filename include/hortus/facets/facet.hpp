#pragma once

/// A facet is one thing that a family chosen at run time may be able to do: an interface with a few virtual functions. A family
/// has the facets whose concepts it fits; any_family asks for one and gets null where there is none. So a room with a new
/// question brings its facet, in a file of its own, and no other facet knows.
///
/// A facet says with `fits<F>` which families have it, and with `over<F>` how F does it. `over<F>` refers to a family that
/// lives beside it, and lives as long.
namespace hortus::facets {

/// Its address is the facet's identity. (No dynamic_cast: programs without run-time type information use hortus, too.)
template <class Facet>
inline constexpr char identity = 0;

}  // namespace hortus::facets
