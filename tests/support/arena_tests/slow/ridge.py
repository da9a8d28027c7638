"""Ridge regression in which every linear system is solved anew."""

import numpy as np


def posterior(kernel, regularisation, X, y, Z):
    """Return the mean and the variance of ridge regression on (X, y) at the rows of Z."""
    A = kernel.gram(X, X) + regularisation * np.eye(len(X))
    cross = kernel.gram(X, Z)
    solved = np.linalg.solve(A, np.column_stack([y, cross]))
    return cross.T @ solved[:, 0], kernel.diagonal(Z) - np.einsum("ij,ij->j", cross, solved[:, 1:])


def optimum(K, y, regularisation):
    """Return min over f of sum (f(x_s) - y_s)^2 + lambda |f|^2, computed from the kernel matrix K."""
    return regularisation * y @ np.linalg.solve(K + regularisation * np.eye(len(y)), y) if len(y) else 0.0


def projected(K, atoms):
    """Return the kernel matrix of the points' projections onto the span of some of the points, the `atoms`."""
    cross = K[:, atoms]
    return cross @ np.linalg.pinv(K[np.ix_(atoms, atoms)], rcond=1e-12, hermitian=True) @ cross.T


def on_features(F, y, regularisation):
    """Return the mean and the surprise of ridge regression on the rows of F, before each round."""
    A, b = regularisation * np.eye(F.shape[1]), np.zeros(F.shape[1])
    means, surprises = [], []
    for f, label in zip(F, y, strict=True):
        solved = np.linalg.solve(A, np.column_stack([b, f]))
        means.append(f @ solved[:, 0])
        surprises.append(f @ solved[:, 1])
        A += np.outer(f, f)
        b += label * f
    return np.array(means), np.array(surprises)


def precise_optimum(kernel, X, y, regularisation):
    """Return the value of `optimum`, computed by a Cholesky factorisation in long double."""
    A = kernel.gram(X, X).astype(np.longdouble) + np.longdouble(regularisation) * np.eye(len(y), dtype=np.longdouble)
    L, e = np.zeros_like(A), np.zeros(len(y), dtype=np.longdouble)
    for t in range(len(y)):
        for s in range(t):
            L[t, s] = (A[t, s] - L[t, :s] @ L[s, :s]) / L[s, s]
        L[t, t] = np.sqrt(A[t, t] - L[t, :t] @ L[t, :t])
        e[t] = (y[t] - L[t, :t] @ e[:t]) / L[t, t]
    return regularisation * float(e @ e)
