# SPDX-License-Identifier: MIT
# Where a cgroup forbids reserved pages, as Kubernetes does for every pod that asks for none, they are mapped and yet not there: that is
# 3 and the way out, never SIGBUS. Other pages are not concerned.
. "$(dirname "$0")/../common.sh"
emulated && skip "an emulator maps no reserved pages"
reserved=/proc/sys/vm/nr_hugepages before=$(cat /proc/sys/vm/nr_hugepages 2>/dev/null)
group=

# Both hierarchies are taken down again, and so are pages that were reserved for this test.
undo() {
    [ -z "$group" ] || rmdir "$group" 2>/dev/null
    [ ! -d "$work/hugetlb" ] || umount "$work/hugetlb" 2>/dev/null
    [ "${before:-0}" -gt 0 ] || (echo 0 >"$reserved") 2>/dev/null
    rm -rf "$work"
}
trap undo EXIT

v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
mkdir "$work/hugetlb"
if mount -t cgroup -o hugetlb none "$work/hugetlb" 2>/dev/null; then
    group=$work/hugetlb/uarchprobe-test-$$ limit=hugetlb.2MB.limit_in_bytes
elif [ "$v2" ] && grep -qw hugetlb "$v2/cgroup.subtree_control" 2>/dev/null; then
    group=$v2/uarchprobe-test-$$ limit=hugetlb.2MB.max
fi
(mkdir "${group:?}" && echo 0 >"$group/$limit") 2>/dev/null || skip "no cgroup can limit reserved pages here"
[ "$before" -gt 0 ] || (echo 8 >"$reserved") 2>/dev/null
[ "$(cat /sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages)" -gt 1 ] || skip "no page can be reserved here"

inside() {
    sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' - "$group" "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
    code=$?
}

while read -r options; do
    # shellcheck disable=SC2086 # words
    inside ram $options --quick -c "$(first_cpu)" --time-budget 1
    check "ram $options: 3 where a cgroup forbids reserved pages" [ "$code" -eq 3 ]
    check "ram $options: in one line" [ "$(grep -c '^uarchprobe: ' "$work/err")" -eq 1 ]
    says "--pages thp"
done <<END
--pages 2m --size 1mi --task read
--pages 2m --size 1mi --task latency
--pages 1g --size 1mi --task read
END
for pages in 4k thp auto; do
    [ $pages != thp ] || ! grep -q '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null || continue
    inside ram --pages $pages --size 64ki --task read --quick -c "$(first_cpu)"
    check "ram --pages $pages: measured there" [ "$code" -eq 0 ]
done
run ram --pages 2m --size 64ki --task read --quick -c "$(first_cpu)"
check "ram --pages 2m: measured outside of the cgroup" [ "$code" -eq 0 ]
finish
