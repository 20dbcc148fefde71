"""List the system calls that are allowed, by purpose. Calls that are not listed are refused.

Reviewed call by call for CPython with numpy and pandas, programs started by it, shells, node,
and what a compiler builds. Left out on purpose, of what a program might ask for:

- memfd_create, memfd_secret, SysV and POSIX message queues and shared memory: their memory is
  counted by no limit of a process and seen by no look at its size. /dev/shm does the same,
  within the bounds of /tmp.
- io_uring, bpf, perf, userfaultfd, keys, ptrace and process_vm_*, NUMA placement: attack
  surface that ordinary programs get along without.
- Landlock's and seccomp's own calls: what is on stays as it is.
- inotify and fanotify: they tell what others do with a file that may only be read.
- vmsplice, tee, splice, mincore, sync, io_submit and kin: the reach of other programs' caches,
  or of the whole machine's disks.
"""

__all__ = ["ATTRIBUTES", "CALM", "FILES", "ORDINARY", "OWNERSHIP", "SIGNALS", "SOCKETS", "SOFT"]

_DATA = """
    read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek
    close close_range dup dup2 dup3 pipe pipe2 sendfile copy_file_range readahead fadvise64
    fallocate ftruncate fsync fdatasync sync_file_range flock
    poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait
    epoll_pwait2 eventfd eventfd2 signalfd signalfd4 timerfd_create timerfd_settime
    timerfd_gettime
"""
FILES = """
    open openat openat2 creat stat fstat lstat newfstatat statx statfs fstatfs
    access faccessat faccessat2 readlink readlinkat getdents getdents64 getcwd chdir fchdir
    mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat
    umask
"""
_MEMORY = """
    mmap munmap mprotect mremap madvise brk msync mlock mlock2 munlock mlockall munlockall
    pkey_alloc pkey_free pkey_mprotect mseal
"""
_PROCESS = """
    fork vfork execve execveat exit exit_group wait4 waitid
    getpid getppid gettid getuid geteuid getgid getegid getresuid getresgid getgroups
    getpgid getpgrp getsid getpriority getrlimit setrlimit getrusage times capget
    set_tid_address set_robust_list rseq arch_prctl restart_syscall
    futex futex_waitv futex_wake futex_wait futex_requeue membarrier
    sched_yield sched_getaffinity sched_getscheduler sched_getparam sched_getattr
    sched_get_priority_max sched_get_priority_min sched_rr_get_interval getcpu
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend
    sigaltstack pause
"""
_TIME = """
    time gettimeofday clock_gettime clock_getres clock_nanosleep nanosleep alarm
    getitimer setitimer timer_create timer_settime timer_gettime timer_getoverrun timer_delete
    uname sysinfo getrandom
"""
_ENDS = (
    "sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg shutdown getsockopt getsockname getpeername"
)

ORDINARY = _DATA + FILES + _MEMORY + _PROCESS + _TIME + _ENDS
"""Allowed in every profile, with any arguments."""

SOCKETS = "bind listen accept accept4 connect"
"""For sockets that can have a peer."""

SIGNALS = "setsid setpgid kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo"
"""Reach every process of the same user, unless something else stops them."""

OWNERSHIP = """
    chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat
    utime utimes futimesat utimensat truncate
"""
"""Reach every file of the same user: Landlock does not see them (truncate: from ABI 3 on)."""

ATTRIBUTES = "getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr"
"""Reach every file by its path: Landlock does not see them."""

CALM = """
    clone prctl prlimit64 ioctl fcntl socket socketpair setsockopt kill tkill tgkill
    setsid setpgid setpriority sched_setaffinity sched_setscheduler sched_setparam sched_setattr
    pidfd_open pidfd_send_signal unshare setns mount umount2 pivot_root chroot
    open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr mknod mknodat
    sethostname setdomainname capset setuid setgid setreuid setregid setresuid setresgid
    setgroups setfsuid setfsgid seccomp landlock_create_ruleset landlock_add_rule
    landlock_restrict_self
"""
"""What a launcher of sandboxes needs besides, with any arguments."""

SOFT = """
    clone3 memfd_create memfd_secret io_uring_setup pidfd_open rseq userfaultfd
    cachestat map_shadow_stack statmount listmount setxattrat getxattrat listxattrat
    removexattrat open_tree_attr file_getattr file_setattr
"""
"""Refused with ENOSYS, as on an older kernel: callers then use something else."""
