#!/usr/bin/env node
import "@postern/cli/main";
