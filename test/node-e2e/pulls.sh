# shellcheck shell=bash
# Sourced by node-e2e.sh: a registry inside the run, which holds the images of the suite under their own names and
# stands for every registry of the world. Tests that always pull, or pull again what a kubelet has deleted, find them.
# Uses WORK, INSTANCE, K8S_BIN of its caller.

PULLS_PORT=15036

# Images that some tests want to have at hand and none of them starts: a tag of busybox in their place, pinned, because
# the registry has none of them. One is named by a digest, which no other content has.
STAND_INS='/(perl|ipc-utils|etcd|volume/nfs|node-perf/[^:]+):'
OTHER_STAND_INS=(
  docker.io/nfvpe/sriov-device-plugin:v3.1
  gcr.io/cadvisor/cadvisor:v0.47.2
  registry.k8s.io/e2e-test-images/busybox@sha256:a9155b13325b2abef48e71de77bb8ac015412a566829f621d06bfae5c699b1b9
  registry.k8s.io/node-problem-detector/node-problem-detector:v1.34.0
)

# The tests of device plugins run upstream's sample plugin as a pod, from an image that the suite itself does not list.
import_sample_plugin() {
  local name=registry.k8s.io/e2e-test-images/sample-device-plugin:1.7 build=$WORK/sample-device-plugin
  base_rootfs "$build/root"
  install -m 755 "$K8S_BIN/sample-device-plugin" "$build/root/sampledeviceplugin"
  make_image --name "$name" --rootfs "$build/root" --output "$build/image.tar" --entrypoint=/sampledeviceplugin
  instance_ctr "$INSTANCE" images import "$build/image.tar"
  rm -rf "$build"
}

listed_images() { "$K8S_BIN/image-names"; }

# The pause image is wanted by upstream's name as well.
tag_pause() {
  local pause
  pause=$(listed_images | grep '^registry\.k8s\.io/pause:' | head -n 1)
  [ "$pause" = "$PAUSE_IMAGE" ] || instance_ctr "$INSTANCE" images tag --force "$PAUSE_IMAGE" "$pause"
}

# Some tests want an image of another registry.
push_images() {
  local name
  tag_pause
  instance_ctr "$INSTANCE" images push --plain-http "127.0.0.1:$PULLS_PORT/library/busybox:1.36" localhost/busybox:1
  for name in $(instance_ctr "$INSTANCE" images ls -q | grep '^registry\.k8s\.io/'); do
    instance_ctr "$INSTANCE" images push --plain-http "127.0.0.1:$PULLS_PORT/${name#*/}" "$name"
  done
}

tag_stand_ins() {
  local name
  for name in $(listed_images | grep -E "$STAND_INS") "${OTHER_STAND_INS[@]}"; do
    instance_ctr "$INSTANCE" images tag --force localhost/busybox:1 "$name"
    instance_ctr "$INSTANCE" images label "$name" io.cri-containerd.pinned=pinned
  done
}

# Pulled by their names, whatever the host in them.
redirect_pulls() {
  local dir=$INSTANCES_DIR/$INSTANCE/certs.d/_default
  mkdir -p "$dir"
  printf 'server = "http://127.0.0.1:%s"\n\n[host."http://127.0.0.1:%s"]\n  capabilities = ["pull", "resolve"]\n' \
    "$PULLS_PORT" "$PULLS_PORT" >"$dir/hosts.toml"
}

prepare_pulls() {
  # Not brought into a machine (../vm), whose families do without.
  [ ! -x "$K8S_BIN/sample-device-plugin" ] || step "importing the image of the sample device plugin" import_sample_plugin
  "$HOST_SCRIPTS/registry.sh" up "$PULLS_PORT" >/dev/null
  step "pushing the images into the registry of the suite" push_images
  step "naming stand-ins for images that no test starts" tag_stand_ins
  redirect_pulls
}
