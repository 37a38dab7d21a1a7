#include "cli/page/page.hpp"

#include <fmt/format.h>

#include "cli/page/markup.hpp"

namespace hortus::cli {

std::string html_table(table const& rows, std::string_view caption, std::vector<std::string> const& headings) {
  auto const cell = [&](std::string_view tag, std::size_t i, std::string_view more, std::string_view text) {
    auto const side = rows.columns()[i].side == align::right ? " class=\"r\"" : "";
    return fmt::format("<{0}{1}{2}>{3}</{0}>", tag, more, side, escaped(text));
  };
  std::string out = "<div class=\"scroll\" tabindex=\"0\"><table>\n";  // tabindex: scrolls by keyboard, too
  if (!caption.empty()) out += fmt::format("<caption>{}</caption>\n", escaped(caption));
  out += "<thead><tr>";
  for (std::size_t i = 0; i < rows.columns().size(); ++i) out += cell("th", i, " scope=\"col\"", rows.columns()[i].title);
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < rows.rows().size(); ++r) {
    auto const& row = rows.rows()[r];
    if (r < headings.size() && !headings[r].empty())
      out += fmt::format("{}<tr class=\"over\"><th scope=\"rowgroup\" colspan=\"{}\">{}</th></tr>\n",
                         r == 0 ? "" : "</tbody>\n<tbody>\n", row.size(), escaped(headings[r]));
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      out += i == 0 ? cell("th", i, " scope=\"row\"", row[i]) : cell("td", i, "", row[i]);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string html_terms(std::vector<std::pair<std::string, std::string>> const& terms) {
  std::string out = "<dl class=\"terms\">\n";
  for (auto const& [term, text] : terms) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(term), escaped(text));
  return out + "</dl>\n";
}

namespace {

constexpr std::string_view style_sheet = R"css(
:root{--back:#fff;--text:#1c2128;--soft:#57606a;--line:#d5dae0;--raised:#f6f8fa;--accent:#0072b2}
@media screen and (prefers-color-scheme:dark){:root{--back:#14181d;--text:#dfe4ea;--soft:#98a2ad;--line:#333b44;--raised:#1c2229;
--accent:#6cb6e8;--chart-1:#3b9bdc;--chart-3:#1fb58c;--chart-4:#ee7733;--chart-6:#9fd6f5;--chart-8:#f0e442}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--back);color:var(--text);
font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main,footer{max-width:72rem;margin:0 auto;padding:0 1.25rem}
h1{font-size:2rem;line-height:1.2;letter-spacing:-.015em;margin:3rem 0 1rem}
h2{font-size:1.35rem;line-height:1.3;letter-spacing:-.01em;margin:3rem 0 .75rem;
padding-top:1.5rem;border-top:1px solid var(--line)}
p{margin:.75rem 0;max-width:44rem}
.lead{font-size:1.1rem;color:var(--soft)}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:.2em}
nav ol{margin:1.5rem 0;padding:0;list-style:none;display:flex;flex-wrap:wrap;gap:.35rem 1.5rem}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.75rem;margin:1.75rem 0}
.facts div{background:var(--raised);border:1px solid var(--line);border-radius:8px;padding:.75rem 1rem}
.facts dt{font-size:.85rem;color:var(--soft)}
.facts dd{margin:0;font-size:1.2rem;font-weight:600;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.terms{max-width:48rem;margin:1rem 0}
.terms dt{font-weight:600;margin-top:.6rem}
.terms dd{margin:0 0 0 1.25rem}
.scroll{overflow-x:auto;margin:1.5rem 0}
figure{margin:1.75rem 0;max-width:52rem}
.panels{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr));gap:0 2.5rem}
.panels figure{max-width:42rem}
.narrow{display:none}
.chart{display:block;width:100%;height:auto;overflow:visible}
.scroll .chart{min-width:35rem}
.mark:hover{opacity:1;stroke:currentColor;stroke-opacity:.35}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding-bottom:.5rem}
th,td{padding:.3rem .6rem;text-align:left;border-bottom:1px solid var(--line)}
tr>:first-child{padding-left:0}tr>:last-child{padding-right:0}
thead th{border-bottom:2px solid var(--line);color:var(--soft);font-weight:600;vertical-align:bottom}
tbody th{font-weight:600;white-space:nowrap}
tr>th:first-child{position:sticky;left:0;background:var(--back)}
tbody tr:hover,tbody tr:hover th{background:var(--raised)}
tr.over th{padding-top:.9rem;color:var(--soft);font-weight:600;border-bottom:1px solid var(--line)}
tr.over:hover th{background:none}
.r{text-align:right}td.r{white-space:nowrap}
td:last-child:not(.r){min-width:9rem}
footer{color:var(--soft);font-size:.9rem;padding-top:1.5rem;padding-bottom:3rem}
@media screen and (max-width:40rem){h1{font-size:1.6rem;margin-top:2rem}main,footer{padding-left:1rem;padding-right:1rem}
.wide{display:none}.narrow{display:block}}
@media print{body{font-size:10pt}main,footer{max-width:none}nav{display:none}.scroll{overflow:visible}.scroll .chart{min-width:0}
table{font-size:6.8pt}th,td{padding:.2rem .35rem}thead{display:table-header-group}h2{break-after:avoid}tr,figure{break-inside:avoid}
tr>th:first-child{position:static}figure{max-width:36rem}.panels{grid-template-columns:1fr 1fr}}
)css";

/// The text as paragraphs, which empty lines separate.
std::string paragraphs(std::string_view text, std::string_view more = {}) {
  std::string out;
  while (!text.empty()) {
    auto const end = text.find("\n\n");
    auto const part = text.substr(0, end);
    if (part.find_first_not_of(" \n") != std::string_view::npos) out += fmt::format("<p{}>{}</p>\n", more, escaped(part));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
  }
  return out;
}

}  // namespace

std::string html(report_page const& page) {
  auto out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
      "dark\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n",
      escaped(page.title), style_sheet);
  out += paragraphs(page.intro, " class=\"lead\"");
  if (!page.facts.empty()) {
    out += "<dl class=\"facts\">\n";
    for (auto const& [label, value] : page.facts) {
      out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(label), escaped(value));
    }
    out += "</dl>\n";
  }
  if (page.sections.size() >= 3) {
    out += "<nav aria-label=\"Sections\"><ol>\n";
    for (std::size_t i = 0; i < page.sections.size(); ++i) {
      out += fmt::format("<li><a href=\"#section-{}\">{}</a></li>\n", i + 1, escaped(page.sections[i].heading));
    }
    out += "</ol></nav>\n";
  }
  for (std::size_t i = 0; i < page.sections.size(); ++i) {
    auto const& section = page.sections[i];
    out +=
        fmt::format("<section id=\"section-{}\">\n<h2>{}</h2>\n", i + 1, escaped(section.heading)) + paragraphs(section.text);
    for (auto const& part : section.parts) {
      out += part.starts_with("<svg") ? "<div class=\"scroll\">" + part + "</div>\n" : part;
    }
    out += "</section>\n";
  }
  return out + "</main>\n" + html_end(page.footer);
}

std::string html_end(std::string_view footer) {
  return (footer.empty() ? "" : fmt::format("<footer>{}</footer>\n", escaped(footer))) + "</body>\n</html>\n";
}

}  // namespace hortus::cli
