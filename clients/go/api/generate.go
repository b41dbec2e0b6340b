// Package api has the types and operations of Logstead's API, generated from its description.
package api

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../../../web/openapi.json
