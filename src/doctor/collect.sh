#!/bin/sh
# Captures what `hopsim doctor` reads. It only reads, and writes to standard output alone.
#
#   sudo sh collect.sh > node.txt      (as root: dmesg, lspci -vv and gdscheck say more)
#   hopsim doctor node.txt

run() {
    echo "\$ $*"
    if command -v "$1" >/dev/null 2>&1; then
        "$@" 2>&1
    else
        echo "# $1 is not installed here"
    fi
    echo
}

show() {
    echo "\$ cat $1"
    if [ -r "$1" ]; then
        cat "$1" 2>&1
    else
        echo "# $1 is not there, or not to be read"
    fi
    echo
}

run lsmod
show /proc/driver/nvidia-fs/stats

for gdscheck in /usr/local/cuda/gds/tools/gdscheck /usr/local/cuda/gds/tools/gdscheck.py /usr/local/cuda-*/gds/tools/gdscheck; do
    if [ -x "$gdscheck" ]; then
        run "$gdscheck" -p
        break
    fi
done

show "${CUFILE_ENV_PATH_JSON:-/etc/cufile.json}"
[ -r cufile.log ] && show cufile.log

run nvme list-subsys
run nvme show-topology
echo "\$ mount"
mount 2>/dev/null | grep -E ' type (ext4|xfs|nfs4?|lustre|wekafs|beegfs|gpfs|scatefs|virtiofs) '
echo

run nvidia-smi topo -m
run ibdev2netdev
run lspci -tv
run lspci -vv

echo "\$ dmesg"
echo "Command line: $(cat /proc/cmdline 2>/dev/null)"
dmesg 2>/dev/null | grep -iE 'nvidia[-_]fs|nvfs|iommu|DMAR|Configured ACS|available PCIe bandwidth'
