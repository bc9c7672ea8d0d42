// The process of a pod's sandbox: holds its namespaces, reaps what is re-parented to it when pods share a
// process namespace, and ends at once on SIGTERM or SIGINT. Blocked signals are queued even for the first
// process of a PID namespace, where an unblocked one without a handler would be dropped.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGINT);
  sigaddset(&wanted, SIGTERM);
  sigaddset(&wanted, SIGCHLD);
  if (sigprocmask(SIG_SETMASK, &wanted, 0) != 0) _exit(1);
  for (;;) {
    int signal = sigwaitinfo(&wanted, 0);
    if (signal == SIGINT || signal == SIGTERM) _exit(0);
    while (waitpid(-1, 0, WNOHANG) > 0) {
    }
  }
}
