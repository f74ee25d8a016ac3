# Warnings, sanitizers and hardening (docs: SECURITY.md): one interface target that every target of ours links.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

add_library(loadstone_flags INTERFACE)
target_compile_options(loadstone_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast -Wcast-align
  -Woverloaded-virtual -Wno-missing-field-initializers -Werror -fstack-protector-strong
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)  # equal builds from any folder
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 warns of overlapping memcpy inside std::string's own operators (GCC bug 105651), and of strings in
  # initializer lists that it has lost sight of.
  target_compile_options(loadstone_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # libstdc++ 12's own std::stable_sort calls what it marks as deprecated.
  target_compile_options(loadstone_flags INTERFACE -Wno-deprecated-declarations)
endif()
target_compile_definitions(loadstone_flags INTERFACE _GLIBCXX_ASSERTIONS)
target_link_options(loadstone_flags INTERFACE LINKER:-z,relro,-z,now,-z,noexecstack LINKER:--as-needed)

if(LOADSTONE_SANITIZE)
  target_compile_options(loadstone_flags INTERFACE
    -fsanitize=${LOADSTONE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(loadstone_flags INTERFACE -fsanitize=${LOADSTONE_SANITIZE})
else()  # the sanitizers see more without it, and it needs an optimising build
  target_compile_options(loadstone_flags INTERFACE $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>)
endif()
