"""What only the uniform datapath has; its forms of ordinary instructions stand beside those."""
