"""`python -m llmwiki`: the same as `llmwiki`, where the script is not on the PATH."""

from llmwiki.fast import main

if __name__ == "__main__":
    main()
