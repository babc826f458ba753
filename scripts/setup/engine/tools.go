//go:build tools

// Package engine pins the Pulumi engine that ../build.ts builds: this import keeps it in go.mod.
package engine

import _ "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
