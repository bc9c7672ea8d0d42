#!/usr/bin/env bash
# A real Kubernetes control plane on this host: etcd (Debian's, only unpacked), API server, controller manager and
# scheduler, with certificates of its own. The API server listens on the host's own address, as a node would
# reach it; etcd on loopback only. Nothing is kept: "down" deletes the data and the certificates.
#
# usage: control-plane.sh up      start what does not run yet, print the administrator's kubeconfig
#        control-plane.sh down    stop all and delete their state
#        control-plane.sh status  which parts run
# KUBELET_TS_API_PORT (6443), KUBELET_TS_ETCD_PORT (22379) and KUBELET_TS_HOST_IP choose other addresses.
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

ETCD_PORT=${KUBELET_TS_ETCD_PORT:-22379}
SERVICE_RANGE=10.96.0.0/16
# Beta and off unless asked for: what the projected volumes of trust bundles and pod certificates need.
CREDENTIAL_GATES=ClusterTrustBundle=true,ClusterTrustBundleProjection=true,PodCertificateRequest=true
PARTS=(etcd kube-apiserver kube-controller-manager kube-scheduler)

usage() {
  sed -n '/^# usage/,/^# KUBELET/s/^# \?//p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

# --- certificates ---------------------------------------------------------------------------------

EC=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)

# certificate NAME SUBJECT EXTENSION…: signed by our authority.
certificate() {
  local name=$1 subject=$2
  shift 2
  openssl req "${EC[@]}" -keyout "$name.key" -out "$name.csr" -subj "$subject"
  printf '%s\n' "$@" >"$name.ext"
  openssl x509 -req -in "$name.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 3650 -extfile "$name.ext" -out "$name.crt"
  rm "$name.csr" "$name.ext"
}

# kubeconfig USER FILE: with everything embedded, so that it can be copied elsewhere.
kubeconfig() {
  local user=$1 file=$2
  (umask 077 && cat >"$file") <<YAML
apiVersion: v1
kind: Config
current-context: test
contexts: [{ name: test, context: { cluster: test, user: $user } }]
clusters:
  - name: test
    cluster:
      server: https://$IP:$API_PORT
      certificate-authority-data: $(base64 -w0 ca.crt)
users:
  - name: $user
    user:
      client-certificate-data: $(base64 -w0 "$user.crt")
      client-key-data: $(base64 -w0 "$user.key")
YAML
}

make_certificates() {
  local names=DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local
  rm -rf "$PKI_DIR"
  mkdir -m 700 "$PKI_DIR"
  cd "$PKI_DIR"
  openssl req -x509 "${EC[@]}" -keyout ca.key -out ca.crt -subj /CN=kubelet-ts-test-ca -days 3650
  certificate apiserver /CN=kube-apiserver "subjectAltName=$names,IP:127.0.0.1,IP:$IP,IP:${SERVICE_RANGE%.*}.1" extendedKeyUsage=serverAuth
  certificate apiserver-kubelet-client /CN=kube-apiserver extendedKeyUsage=clientAuth
  certificate admin /O=system:masters/CN=admin extendedKeyUsage=clientAuth
  certificate node "/O=system:nodes/CN=system:node:$NODE_NAME" extendedKeyUsage=clientAuth
  # The API server calls the kubelet at the node's InternalIP: the certificate must name it.
  certificate kubelet-serving "/O=system:nodes/CN=system:node:$NODE_NAME" "subjectAltName=DNS:$NODE_NAME,IP:127.0.0.1,IP:$IP" extendedKeyUsage=serverAuth
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out service-account.key
  openssl pkey -in service-account.key -pubout -out service-account.pub
  kubeconfig admin "$ADMIN_CONFIG"
  kubeconfig node "$NODE_CONFIG"
  identity >"$PKI_DIR/identity"
}

# With it the API server calls servers that extend it, on behalf of its own callers. A cluster that was made without
# one gets it with the next start of its API server.
make_front_proxy() (
  cd "$PKI_DIR"
  certificate front-proxy /CN=front-proxy extendedKeyUsage=clientAuth
)

# What the certificates were made for; another address needs others.
identity() { echo "$IP:$API_PORT $NODE_NAME"; }

# --- programs -------------------------------------------------------------------------------------

start_etcd() {
  local client=http://127.0.0.1:$ETCD_PORT
  case $(uname -m) in aarch64) export ETCD_UNSUPPORTED_ARCH=arm64 ;; esac
  start_daemon cluster-etcd "$BIN_DIR/tools/etcd" --data-dir "$CLUSTER_DIR/etcd" --unsafe-no-fsync --log-level warn \
    --listen-client-urls "$client" --advertise-client-urls "$client" \
    --listen-peer-urls "http://127.0.0.1:$((ETCD_PORT + 1))" --initial-advertise-peer-urls "http://127.0.0.1:$((ETCD_PORT + 1))" \
    --initial-cluster "default=http://127.0.0.1:$((ETCD_PORT + 1))"
  await_part etcd 20 curl -sf -m 2 "$client/health"
}

# Every call of the node, for those who count them; a line is written before the call is answered.
write_audit_policy() {
  cat <<YAML
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - { level: Metadata, users: ["system:node:$NODE_NAME"] }
  - { level: None }
YAML
}

start_kube-apiserver() {
  write_audit_policy >"$CLUSTER_DIR/audit-policy.yaml"
  start_daemon cluster-kube-apiserver "$K8S_BIN/kube-apiserver" \
    --etcd-servers="http://127.0.0.1:$ETCD_PORT" --bind-address="$IP" --advertise-address="$IP" --secure-port="$API_PORT" \
    --tls-cert-file="$PKI_DIR/apiserver.crt" --tls-private-key-file="$PKI_DIR/apiserver.key" --client-ca-file="$PKI_DIR/ca.crt" \
    --kubelet-client-certificate="$PKI_DIR/apiserver-kubelet-client.crt" --kubelet-client-key="$PKI_DIR/apiserver-kubelet-client.key" \
    --kubelet-certificate-authority="$PKI_DIR/ca.crt" --kubelet-preferred-address-types=InternalIP \
    --service-account-key-file="$PKI_DIR/service-account.pub" --service-account-signing-key-file="$PKI_DIR/service-account.key" \
    --service-account-issuer=https://kubernetes.default.svc --service-cluster-ip-range="$SERVICE_RANGE" \
    --runtime-config=certificates.k8s.io/v1beta1=true --feature-gates="$CREDENTIAL_GATES" \
    --proxy-client-cert-file="$PKI_DIR/front-proxy.crt" --proxy-client-key-file="$PKI_DIR/front-proxy.key" \
    --requestheader-client-ca-file="$PKI_DIR/ca.crt" --requestheader-allowed-names=front-proxy \
    --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group \
    --requestheader-extra-headers-prefix=X-Remote-Extra- --enable-aggregator-routing=true \
    --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --enable-bootstrap-token-auth \
    --audit-policy-file="$CLUSTER_DIR/audit-policy.yaml" --audit-log-path="$AUDIT_LOG" --audit-log-maxsize=200 --audit-log-maxbackup=1 \
    --allow-privileged=true --max-requests-inflight=3000 --max-mutating-requests-inflight=1500
  await_part kube-apiserver 90 api_ready
}

api_ready() { cluster_kubectl get --raw /readyz --request-timeout=2s; }

start_kube-controller-manager() {
  start_daemon cluster-kube-controller-manager "$K8S_BIN/kube-controller-manager" --kubeconfig="$ADMIN_CONFIG" \
    --service-account-private-key-file="$PKI_DIR/service-account.key" --root-ca-file="$PKI_DIR/ca.crt" \
    --cluster-signing-cert-file="$PKI_DIR/ca.crt" --cluster-signing-key-file="$PKI_DIR/ca.key" \
    --feature-gates="$CREDENTIAL_GATES" --use-service-account-credentials --leader-elect=false --secure-port=0
  # A pod cannot be created before its namespace's service account is there.
  await_part kube-controller-manager 60 cluster_kubectl get serviceaccount default
}

start_kube-scheduler() {
  start_daemon cluster-kube-scheduler "$K8S_BIN/kube-scheduler" --kubeconfig="$ADMIN_CONFIG" --leader-elect=false --secure-port=0
  sleep 0.3
  await_part kube-scheduler 5 daemon_pid cluster-kube-scheduler
}

# await_part PART SECONDS CMD…: distinguishes a part that died from one that is slow; prints the log of either.
await_part() {
  local part=$1 deadline=$((SECONDS + $2)) fault="does not answer after $2 s"
  shift 2
  while ! "$@" >/dev/null 2>&1; do
    daemon_pid "cluster-$part" >/dev/null || fault='ended' deadline=0
    if [ "$SECONDS" -ge "$deadline" ]; then
      echo "$part $fault; the end of $RUN_DIR/cluster-$part.log:"
      tail -n 15 "$RUN_DIR/cluster-$part.log" | cut -c 1-300
      return 1
    fi
    sleep 0.2
  done
}

# The API server's client certificate may call the kubelet's API (logs, exec, metrics) only with this role.
may_call_kubelets() { cluster_kubectl get clusterrolebinding kubelet-ts-test-apiserver >/dev/null 2>&1; }

allow_kubelet_calls() {
  cluster_kubectl create clusterrolebinding kubelet-ts-test-apiserver --clusterrole=system:kubelet-api-admin --user=kube-apiserver
}

# --- commands -------------------------------------------------------------------------------------

up() {
  local part
  require_root cluster-up
  command -v openssl >/dev/null && command -v ip >/dev/null && command -v curl >/dev/null || "$HOST_SCRIPTS/install.sh" 2.1
  "$CLUSTER_SCRIPTS/build.sh" control-plane
  make_dirs
  with_lock cluster
  IP=$(host_ip)
  mkdir -p "$CLUSTER_DIR"
  need_etcd
  if [ "$(cat "$PKI_DIR/identity" 2>/dev/null)" != "$(identity)" ]; then
    stop_all
    step "making the certificates of the test cluster" make_certificates
  fi
  [ -f "$PKI_DIR/front-proxy.crt" ] || step "making the certificate of the API server's own calls" make_front_proxy
  for part in "${PARTS[@]}"; do
    daemon_pid "cluster-$part" >/dev/null || step "starting $part" "start_$part"
  done
  may_call_kubelets || step "letting the API server call kubelets" allow_kubelet_calls
  echo "$ADMIN_CONFIG"
}

# At once: their data is deleted anyway, and an API server takes many seconds to say good-bye.
stop_all() {
  local part pid
  for part in "${PARTS[@]}"; do
    ! pid=$(daemon_pid "cluster-$part") || kill -KILL "$pid"
    stop_daemon "cluster-$part"
  done
  rm -rf "$CLUSTER_DIR/etcd"
}

down() {
  [ -d "$CLUSTER_DIR" ] || { say "no control plane here: nothing to do"; return 0; }
  require_root cluster-down
  with_lock cluster
  step "stopping the control plane" stop_all
  rm -rf "$PKI_DIR" "$ADMIN_CONFIG" "$NODE_CONFIG" "$CLUSTER_DIR/audit-policy.yaml" "$RUN_DIR"/cluster-*.log
  rmdir "$CLUSTER_DIR" 2>/dev/null || true # the kubelet's state is kubelet.sh's to delete
}

status() {
  local part
  for part in "${PARTS[@]}"; do
    printf '%-24s %s\n' "$part" "$(daemon_pid "cluster-$part" || echo stopped)"
  done
}

case ${1:-} in
  up | down | status) "$1" ;;
  *) usage ;;
esac
