#define HWY_WANT_AVX3_DL  // some kernels have a version for it
#include <hortus/cells/vector_target.hpp>

#include <hwy/highway.h>

#include <string>

#include <hortus/aging/age_kernels.hpp>
#include <hortus/bloom/one_key_kernels.hpp>
#include <hortus/counting/pair_kernels.hpp>
#include <hortus/error.hpp>
#include <hortus/frozen/homogeneous_kernels.hpp>
#include <hortus/frozen/ribbon_kernels.hpp>

namespace hortus::kernels {

std::vector<std::string_view> targets() {
  std::vector<std::string_view> names;
  for (auto const each : hwy::SupportedAndGeneratedTargets()) names.emplace_back(hwy::TargetName(each));  // best first
  return names;
}

std::string_view target() { return targets().front(); }

void use_target(std::string_view name) {
  hwy::SetSupportedTargetsForTest(0);  // 0 allows all targets
  std::int64_t wanted = 0;
  for (auto const each : hwy::SupportedAndGeneratedTargets())
    if (name == hwy::TargetName(each)) wanted = each;
  if (wanted == 0 && !name.empty())
    throw error(errc::unsupported, "this machine or this build has no instruction set named '" + std::string(name) + "'");
  if (wanted == HWY_AVX3_DL) wanted |= HWY_AVX3;  // for kernels without a version for it
  hwy::SetSupportedTargetsForTest(wanted);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  chosen.choose_again();
  chosen_for_one_key.choose_again();
  chosen_for_ages.choose_again();
  chosen_ribbon.choose_again();
  chosen_homogeneous.choose_again();
}

}  // namespace hortus::kernels
