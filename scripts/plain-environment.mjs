/**
 * The environment of this process without the settings of a server that is developed or tested here.
 * `also` names more to leave out.
 */
export const plainEnvironment = (also = []) => {
  const names = ["POSTERN_", "WEBHOOK_", "DATABASE_URL$", "PORT$", "CALLED_AS$", ...also];
  const left = new RegExp(`^(?:${names.join("|")})`, "i");
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !left.test(name)));
};
