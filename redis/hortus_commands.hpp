#pragma once
#include "redis/background.hpp"

/// The bodies of the commands HORTUS.*. docs/redis.md describes them.
namespace hortus::server::commands {

// hortus_create.cpp
void create(patient_call& it);
// hortus_items.cpp
void add(patient_call& it);
void add_count(patient_call& it);
void exists(patient_call& it);
void erase(patient_call& it);
void count(patient_call& it);
void top(patient_call& it);
void advance(patient_call& it);
// hortus_maps.cpp
void put(patient_call& it);
void assign(patient_call& it);
void get(patient_call& it);
// hortus_packed.cpp
void packed_add(patient_call& it);
void packed_erase(patient_call& it);
void packed_exists(patient_call& it);
void packed_count(patient_call& it);
void packed_get(patient_call& it);
// hortus_combine.cpp
void merge(patient_call& it);
void intersect(patient_call& it);
void fold(patient_call& it);
void grow(patient_call& it);
void clear(patient_call& it);
// hortus_file.cpp
void export_file(patient_call& it);
void import_file(patient_call& it);
// hortus_info.cpp
void info(patient_call& it);
void estimate(patient_call& it);
void compare(patient_call& it);
// hortus_families.cpp
void list(patient_call& it);
void plan(patient_call& it);

}  // namespace hortus::server::commands
