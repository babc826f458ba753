#!/bin/sh
# Usage: unpack.sh PIP REQUIREMENTS TREE OUTPUT.tar [PIP OPTION...]
# Unpacks the pinned wheels as the tree of the image's /opt/hermes.
set -eu

pip=$1
requirements=$2
tree=$3
output=$4
shift 4

rm -rf "$tree"
mkdir -p "$tree/opt/hermes"
"$pip" install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary=:all: \
  --no-compile --target "$tree/opt/hermes" "$@" -r "$requirements"

# pip writes programs that start the Python of this machine.
rm -rf "$tree/opt/hermes/bin"
chmod -R u=rwX,go=rX "$tree"
tar -c --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -f "$output" -C "$tree" opt
rm -rf "$tree"
