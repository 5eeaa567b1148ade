/** Next.js loads Postern with `require`, and does not bundle it. */
export default { serverExternalPackages: ["postern"] };
