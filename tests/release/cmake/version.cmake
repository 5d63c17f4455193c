# version.cmake - fails unless find_package would take the version of FILE for WANTED
# SPDX-License-Identifier: MIT
#
# usage: cmake -DWANTED=A[.B[.C]][...[<]D.E.F] -DFILE=kpredConfigVersion.cmake -P version.cmake
string(REGEX MATCH "^[0-9.]*[0-9]" PACKAGE_FIND_VERSION "${WANTED}")
if(WANTED MATCHES "^([0-9.]*[0-9])[.][.][.](<?)([0-9.]+)$")
    set(PACKAGE_FIND_VERSION "${CMAKE_MATCH_1}")
    set(PACKAGE_FIND_VERSION_RANGE "${WANTED}")
    set(PACKAGE_FIND_VERSION_MIN "${CMAKE_MATCH_1}")
    set(PACKAGE_FIND_VERSION_MAX "${CMAKE_MATCH_3}")
    set(PACKAGE_FIND_VERSION_RANGE_MAX INCLUDE)
    if(CMAKE_MATCH_2)
        set(PACKAGE_FIND_VERSION_RANGE_MAX EXCLUDE)
    endif()
endif()
include("${FILE}")
if(NOT PACKAGE_VERSION_COMPATIBLE)
    message(FATAL_ERROR "it does not suit")
endif()
