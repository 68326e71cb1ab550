#!/usr/bin/env node
await import("../dist/cli/launch.js"); // npm links this file before anything is built
