// Filled in its own commit.
