#!/usr/bin/env bash
set -eo pipefail
