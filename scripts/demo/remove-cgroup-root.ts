/** Takes away the cgroup that a kubelet of the demo or a test had its pods below, once they have ended. */
export { removeCgroupRoot } from '../../src/adapters/systemd/remove-cgroup-root.ts';
