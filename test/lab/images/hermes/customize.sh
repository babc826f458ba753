#!/bin/sh
# Runs inside the new root, after its packages are installed and Hermes is unpacked to /opt/hermes.
set -eu

# The names and numbers of the official image.
echo 'hermes:x:10000:' >> /etc/group
echo 'hermes:x:10000:10000:Hermes Agent:/opt/data:/bin/bash' >> /etc/passwd
mkdir -p /opt/data
chown 10000:10000 /opt/data
mkdir -p /opt/hermes/bin
mv /root/hermes /opt/hermes/bin/hermes
mv /root/init.py /opt/hermes/init.py
chmod 0755 /opt/hermes/bin/hermes /opt/hermes/init.py
chown -R 0:0 /opt/hermes
# Makes `hermes update` answer as it does in the official image.
echo docker > /opt/hermes/.install_method
echo /opt/hermes > /usr/lib/python3/dist-packages/hermes-agent.pth

# From here on everything is about time under emulation, where unpacking a file costs milliseconds and
# compiling a module far more.
cd /opt/hermes
find . -type d \( -name tests -o -name test \) -prune -exec rm -rf {} +
find . \( -name '*.pyi' -o -name RECORD -o -name py.typed -o -path '*.dist-info/licenses/*' \) -delete

# Hermes reads its own sources (tools and plugins are found by file name); of other packages the compiled
# modules are enough, which halves their number of files. "unchecked": no file of an image ever changes.
# Packages may bring templates that are no valid module, hence `|| true`; the program's start below counts.
own='acp_adapter agent cron gateway hermes_cli plugins providers tools tui_gateway'
compile='python3 -m compileall -q -j 0 --invalidation-mode unchecked-hash'
# shellcheck disable=SC2086 # two lists of words
(
  $compile -l /opt/hermes || true
  cd /opt/hermes
  $compile $own || true
)
for package in */; do
  package=${package%/}
  case " $own bin __pycache__ " in
    *" $package "*) continue ;;
  esac
  case $package in
    *.dist-info) continue ;;
  esac
  $compile -b "/opt/hermes/$package" || true
  find "$package" -name '*.py' -exec sh -c 'for f; do if [ -e "${f}c" ]; then rm "$f"; fi; done' sh {} +
done

# One copy of the time zones: Python's zoneinfo asks the system first.
rm -rf /opt/hermes/pytz/zoneinfo /opt/hermes/tzdata/zoneinfo /usr/share/zoneinfo/posix /usr/share/zoneinfo/right
ln -s /usr/share/zoneinfo /opt/hermes/pytz/zoneinfo

# Nothing here is in Perl; dpkg, which would mind, does not run in a container.
dpkg --purge --force-depends --force-remove-essential usrmerge libfile-find-rule-perl \
  libnumber-compare-perl libtext-glob-perl perl libperl5.36 perl-modules-5.36

# The bundle of certificates is what programs read; C.UTF-8 needs no conversion tables.
find /etc/ssl/certs -type l -delete
rm -rf /usr/share/ca-certificates /usr/lib/x86_64-linux-gnu/gconv /usr/lib/x86_64-linux-gnu/perl-base \
  /var/lib/dpkg/info
mkdir /var/lib/dpkg/info

# What no program here opens.
for name in ensurepip idlelib lib2to3 turtledemo test pydoc_data tkinter; do
  rm -rf "/usr/lib/python3.11/${name:?}"
done
for name in doc man info locale i18n bug lintian bash-completion perl5 perl menu pixmaps; do
  rm -rf "/usr/share/${name:?}"
done
rm -rf /var/cache/* /var/log/*

# A build that cannot start is no build.
home=$(mktemp -d)
chown 10000:10000 "$home"
HERMES_HOME=$home PATH=/opt/hermes/bin:$PATH hermes --version | grep 0.19.0
rm -rf "$home"
