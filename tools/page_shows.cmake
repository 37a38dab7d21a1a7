# cmake -DPAGE=README.md -DPART=examples/readme.cpp -P page_shows.cmake: PAGE must hold all of PART, word for word, so that what
# a reader copies from the page is what the tests compiled and ran.
file(READ ${PAGE} page)
file(READ ${PART} part)
string(FIND "${page}" "${part}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "${PAGE} should show ${PART} word for word")
endif()
