"""What every file keeps to beyond what compilers and linters check; the rules are in tests/tidy.toml."""
