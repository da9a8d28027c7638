"""The table of growth rates: sequences, laws, who grows how, and why where the theory's table says otherwise."""
