// Prints the names of the images that upstream's tests use, one per line. e2e.test can do the same, but it takes minutes
// to build, and the node tests need nothing else of it.
package main

import (
	"fmt"

	"k8s.io/kubernetes/test/utils/image"
)

func main() {
	for _, config := range image.GetImageConfigs() {
		fmt.Println(config.GetE2EImage())
	}
}
