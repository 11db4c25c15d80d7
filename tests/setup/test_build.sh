# SPDX-License-Identifier: MIT
# A build folder that was made under other conditions, and checkouts in unusual places.
. "$(dirname "$0")/common.sh"
PATH=$work/bin:$PATH
for name in first second; do
    echo 'exec cc "$@"' | command_named $name
done
one=$work/one
stand_in "$one"

CC=first attempt "$one/scripts/run"
check "the compiler of CC builds" prints "by $work/bin/first"
CC=second attempt "$one/scripts/run"
check "another CC rebuilds" prints "by $work/bin/second"
CC=second attempt "$one/scripts/build" release
check "the same CC does not" prints "no work to do"
CC=nonsense attempt "$one/scripts/run"
check "a CC that is none is one line that names it" one_line CC=nonsense
check "... and a failure" [ "$code" -eq 1 ]
CFLAGS=-fno-such-flag attempt "$one/scripts/run"
check "CFLAGS that no compiler takes are one line" one_line CFLAGS=-fno-such-flag
expect 0 "without CC the machine's own compiler is back" "$one/scripts/run"
check "... and says so" [ "$(grep -c "$work/bin" "$work/out")" -eq 0 ]

mv "$one" "$work/two words"
one="$work/two words"
attempt "$one/scripts/run"
check "a moved checkout builds where it is" prints "at $one/build/release"

ln -s "$one/scripts/run" "$work/link"
ln -s "$one" "$work/alias"
attempt "$work/link"
check "started through a symlink" prints "at $one/build/release"
attempt "$work/alias/scripts/build" release
check "... or in a folder that is one, it rebuilds nothing" prints "no work to do"

# The machine's commands without the cross compiler and the emulator.
mkdir "$work/few"
for tool in sh dirname readlink mkdir grep uname; do ln -s "$(command -v $tool)" "$work/few/$tool"; done
PATH=$work/few attempt "$one/scripts/build" aarch64-cross -DSTATIC=ON
check "what the cross build lacks is said before it begins" grep -q 'gcc-aarch64-linux-gnu qemu-user-static' "$work/err"
check "... and nothing is configured" [ "$code-$(ls "$one/build/aarch64-cross" 2>/dev/null)" = 1- ]

rm -r "$one/build"
: >"$one/build"
attempt "$one/scripts/run"
check "a build folder that cannot be made is one line" one_line "$one/build" UARCHPROBE_BUILD
rm "$one/build"
chmod -R a-w "$one"
touch "$work/before"
UARCHPROBE_BUILD=$work/elsewhere attempt "$one/scripts/run"
check "UARCHPROBE_BUILD takes the build" prints "at $work/elsewhere/release"
cd "$work" || exit 99
UARCHPROBE_BUILD=elsewhere attempt "$one/scripts/build" release
check "... as a relative name, too" prints "no work to do"
check "... and nothing is written to the checkout" [ -z "$(find "$one" -newer "$work/before")" ]
chmod -R u+w "$one"
finish
