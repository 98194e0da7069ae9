// Holds an image layout, unpacked in the directory that is named, against the schemas of the OCI image
// specification, and every blob against its digest and size.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/opencontainers/image-spec/schema"
	"github.com/opencontainers/image-spec/specs-go/v1"
)

func main() {
	if len(os.Args) != 2 {
		fail("usage: image-schema DIRECTORY", nil)
	}
	directory := os.Args[1]
	valid(schema.ValidatorMediaTypeLayoutHeader, read(directory, "oci-layout"))
	text := read(directory, "index.json")
	valid(schema.ValidatorMediaTypeImageIndex, text)
	var index v1.Index
	parse(text, &index)
	if len(index.Manifests) == 0 {
		fail("the index names no manifest", nil)
	}
	for _, descriptor := range index.Manifests {
		text := blob(directory, descriptor)
		valid(schema.ValidatorMediaTypeManifest, text)
		var manifest v1.Manifest
		parse(text, &manifest)
		valid(schema.ValidatorMediaTypeImageConfig, blob(directory, manifest.Config))
		for _, layer := range manifest.Layers {
			blob(directory, layer)
		}
	}
}

func blob(directory string, descriptor v1.Descriptor) []byte {
	text := read(directory, "blobs", "sha256", strings.TrimPrefix(string(descriptor.Digest), "sha256:"))
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(text))
	if digest != string(descriptor.Digest) || int64(len(text)) != descriptor.Size {
		fail(fmt.Sprintf("blob %s has digest %s and %d bytes", descriptor.Digest, digest, len(text)), nil)
	}
	return text
}

func read(names ...string) []byte {
	text, err := os.ReadFile(filepath.Join(names...))
	if err != nil {
		fail("cannot be read", err)
	}
	return text
}

func parse(text []byte, into any) {
	if err := json.Unmarshal(text, into); err != nil {
		fail("is no JSON", err)
	}
}

func valid(validator schema.Validator, text []byte) {
	if err := validator.Validate(bytes.NewReader(text)); err != nil {
		fail(string(validator), err)
	}
}

func fail(what string, err error) {
	fmt.Fprintln(os.Stderr, "image-schema:", what, err)
	os.Exit(1)
}
