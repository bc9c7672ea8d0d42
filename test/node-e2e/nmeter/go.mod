module kubelet-ts.dev/test/node-e2e/nmeter

go 1.26.0
