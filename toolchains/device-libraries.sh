#!/bin/sh
# Brings AMD's device library (ocml.bc and others, 3 MB of LLVM 17 bitcode with support for gfx1100) to
# ~/.local/share/cassc/llvm-17. Debian has it as rocm-device-libs-17 from release 13 (trixie) on; an older Debian's apt
# is asked for that release in a folder of its own, with the servers and keys that are configured already. Not root's.
set -eu
suite=trixie
package=rocm-device-libs-17
target="$HOME/.local/share/cassc/llvm-17/amdgcn"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/sources" "$work/lists/partial" "$work/cache/archives/partial"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
server=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb *\(\[[^]]*\] *\)\{0,1\}\([^ ]*\) .*/\2/p' \
    /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list /etc/apt/sources.list 2>/dev/null | grep -m 1 '/debian/*$')
printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' "$server" "$suite" "$keys" >"$work/sources/debian.sources"
apt_options="-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$work/sources -o Dir::State::lists=$work/lists"
apt_options="$apt_options -o Dir::Cache=$work/cache -o APT::Sandbox::User=$(id -un)"
cd "$work"
# shellcheck disable=SC2086
apt-get $apt_options -qq update
# shellcheck disable=SC2086
apt-get $apt_options -qq download "$package"
dpkg -x "$package"_*.deb "$work/root"
mkdir -p "$target"
cp -r "$work"/root/usr/lib/llvm-17/lib/clang/17/amdgcn/bitcode "$target/"
cp "$work/root/usr/share/doc/$package/copyright" "$target/"
echo "$target/bitcode"
