const { n } = JSON.parse(process.argv[2]);
process.stdout.write(String(n + 1));
