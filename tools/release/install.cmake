# install.cmake - the last part of `cmake --install`: what find_package and pkg-config read
# SPDX-License-Identifier: MIT
#
# CMakeLists.txt includes it when the prefix is known. It needs KPRED_SOURCE, KPRED_BUILD, VERSION, and
# INCLUDEDIR and DATADIR, which are below the prefix where they are not absolute. install.sh writes the
# same files from the same templates for `make install`.

set(PREFIX "${CMAKE_INSTALL_PREFIX}")
foreach(folder INCLUDEDIR DATADIR)
    if(NOT IS_ABSOLUTE "${${folder}}")
        set(${folder} "${PREFIX}/${${folder}}")
    endif()
endforeach()

# below_prefix VARIABLE NAME FOLDER: the folder in terms of ${NAME} where it lies below the prefix
function(below_prefix variable name folder)
    string(FIND "${folder}/" "${PREFIX}/" at)
    if(at EQUAL 0)
        string(LENGTH "${PREFIX}" length)
        string(SUBSTRING "${folder}" ${length} -1 rest)
        set(folder "\${${name}}${rest}")
    endif()
    set(${variable} "${folder}" PARENT_SCOPE)
endfunction()

# put TEMPLATE FOLDER: the template, filled in
function(put template folder)
    string(REGEX REPLACE "[.]in$" "" name "${template}")
    configure_file("${KPRED_SOURCE}/tools/release/${template}" "${KPRED_BUILD}/installed/${name}" @ONLY)
    file(INSTALL DESTINATION "${DATADIR}/${folder}" TYPE FILE FILES "${KPRED_BUILD}/installed/${name}")
endfunction()

# The way from kpredConfig.cmake to the prefix; absolute where it does not lie below it
below_prefix(UP prefix "${DATADIR}/cmake/kpred")
if(NOT IS_ABSOLUTE "${UP}")
    string(REPLACE "\${prefix}/" "" UP "${UP}")
    string(REGEX REPLACE "[^/]+" ".." UP "${UP}")
else()
    set(UP "${PREFIX}")
endif()
below_prefix(INCLUDE prefix "${INCLUDEDIR}")
put(kpred.pc.in pkgconfig)
below_prefix(INCLUDE kpred_prefix "${INCLUDEDIR}")
put(kpredConfig.cmake.in cmake/kpred)
put(kpredConfigVersion.cmake.in cmake/kpred)
