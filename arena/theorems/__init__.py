"""The theorems that matches are judged by; one file for each family of algorithms."""
